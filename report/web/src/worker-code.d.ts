// SPDX-License-Identifier: Apache-2.0
// The worker's program as a text, which bundle.py makes of worker.ts.
declare module "worker-code" {
  const code: string;
  export default code;
}
