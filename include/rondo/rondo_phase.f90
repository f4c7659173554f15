! SPDX-License-Identifier: Apache-2.0
! Marks for the recorder, in Fortran: where phases of a program begin and end, and which of it is recorded at all.
! Compile this file with the program; nothing is linked. Without the recorder all of this does nothing.
!
!   use rondo_phase
!   call rondo_phase_begin("solve")
!   ...
!   call rondo_phase_end("solve")
!   call rondo_pause()      ! from here on, calls of this rank are not recorded
!   call rondo_resume()
module rondo_phase
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: rondo_phase_begin, rondo_phase_end, rondo_pause, rondo_resume

  abstract interface
    subroutine marks_name(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine marks() bind(c)
    end subroutine
  end interface

  interface
    ! libc's; a null handle means all that the process has loaded.
    function dlsym(handle, symbol) bind(c, name="dlsym") result(address)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: symbol(*)
      type(c_funptr) :: address
    end function
  end interface

contains

  subroutine rondo_phase_begin(name)
    character(len=*), intent(in) :: name
    call mark_name("rondo_phase_begin", name)
  end subroutine

  subroutine rondo_phase_end(name)
    character(len=*), intent(in) :: name
    call mark_name("rondo_phase_end", name)
  end subroutine

  subroutine rondo_pause()
    call mark("rondo_pause")
  end subroutine

  subroutine rondo_resume()
    call mark("rondo_resume")
  end subroutine

  subroutine mark_name(function, name)
    character(len=*), intent(in) :: function, name
    type(c_funptr) :: address
    procedure(marks_name), pointer :: marker
    address = dlsym(c_null_ptr, function // c_null_char)
    if (.not. c_associated(address)) return
    call c_f_procpointer(address, marker)
    call marker(trim(name) // c_null_char)
  end subroutine

  subroutine mark(function)
    character(len=*), intent(in) :: function
    type(c_funptr) :: address
    procedure(marks), pointer :: marker
    address = dlsym(c_null_ptr, function // c_null_char)
    if (.not. c_associated(address)) return
    call c_f_procpointer(address, marker)
    call marker()
  end subroutine

end module
