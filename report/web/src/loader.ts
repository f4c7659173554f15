// SPDX-License-Identifier: Apache-2.0
// Unpacks the page's program, which is most of a small page, and runs it: the policy names it by its hash, as it does this one.
async function load(): Promise<void> {
  try {
    const packed = document.getElementById("program")!;
    const bytes = Uint8Array.from(atob(packed.textContent!), (character) => character.charCodeAt(0));
    const script = document.createElement("script");
    script.textContent = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
    packed.remove();
    document.body.append(script);
  } catch (error) {
    document.getElementById("page")!.textContent = `This page cannot be shown: ${String(error)}. It needs a browser of 2023 or later.`;
  }
}

void load();
