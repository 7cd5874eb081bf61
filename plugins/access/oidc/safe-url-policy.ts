import { isLoopbackHost } from '#kernel/system'

/** Plain HTTP could be read and changed on the way, except on this machine. */
export function isSafeUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || isLoopbackUrl(text)
}

export function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'http:' && isLoopbackHost(url.hostname)
}

const pathCharsMax = 2048

/** A path of the dashboard to return to; anything else, such as the address of another site, becomes `/`. */
export function returnPath(text: string | undefined): string {
  if (text === undefined || text.length > pathCharsMax || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return '/'
  return text.startsWith('/api/') ? '/' : text
}
