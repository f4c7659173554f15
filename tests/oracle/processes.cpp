// SPDX-License-Identifier: Apache-2.0
// Processes that come later and sessions. Members of another MPI_COMM_WORLD print as "?".
#include "oracle.hpp"

using namespace oracle;

static bool is_root(int root, MPI_Comm communicator) { return rank_in(communicator) == root; }

CALL(Comm_spawn,
     (const char* command, char** argv, int maxprocs, MPI_Info info, int root,
      MPI_Comm communicator, MPI_Comm* intercomm, int* errcodes),
     (command, argv, maxprocs, info, root, communicator, intercomm, errcodes)) {
  Line line("MPI_Comm_spawn");
  if (is_root(root, communicator)) { // MPI reads these on the root alone
    line.in("command", text(command));
    line.in("maxprocs", integer(maxprocs));
  }
  line.in("root", rank(root));
  line.in("comm", comm(communicator));
  int result =
      REAL(Comm_spawn)(command, argv, maxprocs, info, root, communicator, intercomm, errcodes);
  if (result == MPI_SUCCESS) line.out("intercomm", new_comm(*intercomm));
  return line.write(result);
}

CALL(Comm_spawn_multiple,
     (int count, char** commands, char*** argvs, const int* maxprocs, const MPI_Info* infos,
      int root, MPI_Comm communicator, MPI_Comm* intercomm, int* errcodes),
     (count, commands, argvs, maxprocs, infos, root, communicator, intercomm, errcodes)) {
  Line line("MPI_Comm_spawn_multiple");
  if (is_root(root, communicator)) line.in("array_of_maxprocs", integers(maxprocs, count));
  line.in("root", rank(root));
  line.in("comm", comm(communicator));
  int result = REAL(Comm_spawn_multiple)(count, commands, argvs, maxprocs, infos, root,
                                         communicator, intercomm, errcodes);
  if (result == MPI_SUCCESS) line.out("intercomm", new_comm(*intercomm));
  return line.write(result);
}

#define MEET(Name)                                                                                 \
  CALL(Name,                                                                                       \
       (const char* port_name, MPI_Info info, int root, MPI_Comm communicator, MPI_Comm* newcomm), \
       (port_name, info, root, communicator, newcomm)) {                                           \
    Line line("MPI_" #Name);                                                                       \
    if (is_root(root, communicator)) line.in("port_name", text(port_name));                        \
    line.in("root", rank(root));                                                                   \
    line.in("comm", comm(communicator));                                                           \
    int result = REAL(Name)(port_name, info, root, communicator, newcomm);                         \
    if (result == MPI_SUCCESS) line.out("newcomm", new_comm(*newcomm));                            \
    return line.write(result);                                                                     \
  }
MEET(Comm_accept)
MEET(Comm_connect)

CALL(Comm_join, (int fd, MPI_Comm* intercomm), (fd, intercomm)) {
  Line line("MPI_Comm_join");
  line.in("fd", integer(fd));
  int result = REAL(Comm_join)(fd, intercomm);
  if (result == MPI_SUCCESS) line.out("intercomm", new_comm(*intercomm));
  return line.write(result);
}

CALL(Comm_get_parent, (MPI_Comm * parent), (parent)) {
  Line line("MPI_Comm_get_parent");
  int result = REAL(Comm_get_parent)(parent);
  if (result == MPI_SUCCESS) line.out("parent", new_comm(*parent));
  return line.write(result);
}

// ---- Sessions ----------------------------------------------------------------------------------

#if MPI_VERSION >= 4

CALL(Session_init, (MPI_Info info, MPI_Errhandler errhandler, MPI_Session* made),
     (info, errhandler, made)) {
  Line line("MPI_Session_init");
  int result = REAL(Session_init)(info, errhandler, made);
  if (result == MPI_SUCCESS) line.out("session", new_session(*made));
  return line.write(result);
}

CALL(Session_finalize, (MPI_Session * handle), (handle)) {
  Line line("MPI_Session_finalize");
  line.in("session", session(*handle));
  MPI_Session before = *handle;
  int result = REAL(Session_finalize)(handle);
  if (result == MPI_SUCCESS) forget_session(before);
  return line.write(result);
}

CALL(Group_from_session_pset, (MPI_Session handle, const char* pset_name, MPI_Group* newgroup),
     (handle, pset_name, newgroup)) {
  Line line("MPI_Group_from_session_pset");
  line.in("session", session(handle));
  line.in("pset_name", text(pset_name));
  int result = REAL(Group_from_session_pset)(handle, pset_name, newgroup);
  if (result == MPI_SUCCESS) line.out("newgroup", new_group(*newgroup));
  return line.write(result);
}

CALL(Comm_create_from_group,
     (MPI_Group members, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
      MPI_Comm* newcomm),
     (members, stringtag, info, errhandler, newcomm)) {
  Line line("MPI_Comm_create_from_group");
  line.in("group", group(members));
  line.in("stringtag", text(stringtag));
  int result = REAL(Comm_create_from_group)(members, stringtag, info, errhandler, newcomm);
  if (result == MPI_SUCCESS) line.out("newcomm", new_comm(*newcomm));
  return line.write(result);
}

CALL(Intercomm_create_from_groups,
     (MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
      const char* stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newintercomm),
     (local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler,
      newintercomm)) {
  int me = MPI_UNDEFINED;
  if (local_group != MPI_GROUP_NULL) PMPI_Group_rank(local_group, &me);
  Line line("MPI_Intercomm_create_from_groups");
  line.in("local_group", group(local_group));
  line.in("local_leader", integer(local_leader));
  if (me == local_leader) { // MPI reads these on the leader alone
    line.in("remote_group", group(remote_group));
    line.in("remote_leader", integer(remote_leader));
  }
  line.in("stringtag", text(stringtag));
  int result =
      REAL(Intercomm_create_from_groups)(local_group, local_leader, remote_group, remote_leader,
                                         stringtag, info, errhandler, newintercomm);
  if (result == MPI_SUCCESS) line.out("newintercomm", new_comm(*newintercomm));
  return line.write(result);
}

#endif
