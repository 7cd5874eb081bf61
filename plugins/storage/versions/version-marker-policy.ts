/** Decodes version ids, to continue a listing after a version that was deleted since. */

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const ulid = /^[0-9A-HJKMNP-TV-Z]{26}$/
const timeDigits = 10

/** Creation time of a version id (ULID) in milliseconds since 1970; undefined if it has another format. */
export function versionTimeMs(versionId: string): number | undefined {
  if (!ulid.test(versionId)) return undefined
  let timeMs = 0
  for (const digit of versionId.slice(0, timeDigits)) timeMs = timeMs * digits.length + digits.indexOf(digit)
  return timeMs
}
