/** After this long without input the page counts as unattended. */
const ATTENTION_MS = 60_000;

let lastInput = Date.now();
for (const type of ['pointerdown', 'keydown'])
  addEventListener(
    type,
    () => {
      lastInput = Date.now();
    },
    { capture: true, passive: true },
  );

/** Whether nobody has used the page for a minute, so that its requests are its own. */
export const isUnattended = (): boolean => Date.now() - lastInput > ATTENTION_MS;
