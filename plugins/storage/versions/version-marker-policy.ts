/** Where a listing of versions goes on when the version it was to go on behind has been deleted meanwhile. */

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const ulid = /^[0-9A-HJKMNP-TV-Z]{26}$/
const timeDigits = 10

/** When a version id was made, in milliseconds; undefined for what is no version id of ours. */
export function versionTimeMs(versionId: string): number | undefined {
  if (!ulid.test(versionId)) return undefined
  let timeMs = 0
  for (const digit of versionId.slice(0, timeDigits)) timeMs = timeMs * digits.length + digits.indexOf(digit)
  return timeMs
}
