import { usageError } from '../usage.ts'

const everywhere = new Set(['', '0.0.0.0', '[::]'])

/** The base URL of the Admin API from `--admin-url` or `admin.addr`, without a slash at the end. An address of all interfaces means this machine. */
export function readAdminUrl(text: string): string {
  const trimmed = text.trim()
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`
  // A URL needs a host; an address such as `:9090` has none.
  const spelled = withScheme.replace(/^(\w+:\/\/)(?=[:/]|$)/, '$1127.0.0.1')
  const url = URL.canParse(spelled) ? new URL(spelled) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw usageError(`"${text}" is not the address of an Admin API; write it like http://127.0.0.1:9090`)
  }
  if (everywhere.has(url.hostname)) url.hostname = '127.0.0.1'
  let end = url.pathname.length
  while (url.pathname[end - 1] === '/') end -= 1
  return `${url.protocol}//${url.host}${url.pathname.slice(0, end)}`
}

/** Whether the connection leaves this machine unencrypted. */
export function isUnencryptedRemote(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && hostname !== 'localhost' && hostname !== '[::1]' && !/^127\.\d+\.\d+\.\d+$/.test(hostname)
}
