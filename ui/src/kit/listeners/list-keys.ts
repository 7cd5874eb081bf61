/** Keys of lists: empty until the code of a list has arrived, so that the first view does without it. Returns whether the key did something. */
export const listKeys: { run?: (event: KeyboardEvent) => boolean } = {}
