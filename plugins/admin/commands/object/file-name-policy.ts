/** The last part of a key as the name of a local file; undefined where it names none, as after a final slash. */
export function fileNameOf(key: string): string | undefined {
  const name = key.split('/').at(-1) ?? ''
  const isUsable = name !== '' && name !== '.' && name !== '..' && name !== '-' && !/[\p{Cc}\\]/u.test(name)
  return isUsable ? name : undefined
}
