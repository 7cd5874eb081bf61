/** `0x1234…cdef`: the ends of a long id. Short ids stay whole. */
export function shortenId(id: string, keep = 6): string {
  const letters = [...id]
  if (letters.length <= keep * 2 + 1) return id
  return `${letters.slice(0, keep).join('')}…${letters.slice(-keep).join('')}`
}

/** Object keys longer than this are cut in the middle: the text of a page stays small, the title has all of it. */
const longestShownKey = 160

export function shortenKey(key: string, limit = longestShownKey): string {
  const letters = [...key]
  if (letters.length <= limit) return key
  const end = Math.floor(limit / 3)
  return `${letters.slice(0, limit - end - 1).join('')}…${letters.slice(-end).join('')}`
}

/** Joiners are part of emoji and of some scripts; beside ASCII they only hide a difference. */
const strayJoiner = /(?<!\P{ASCII})[\u200c\u200d]|[\u200c\u200d](?!\P{ASCII})/gu

/** Letters that change or hide the text around them: controls, bidirectional marks, zero-width letters, line separators. */
const hidden = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Makes letters visible that a browser would obey or hide: a line feed becomes `‹A›`, U+202E becomes `‹202E›`. */
export const showHidden = (text: string): string => text.replace(strayJoiner, toVisible).replace(hidden, toVisible)

const toVisible = (letter: string) => `‹${letter.codePointAt(0)?.toString(16).toUpperCase()}›`
