/** The address of the page. It holds filters, cursors and open sheets, so that a reload or a link shows the same. */
import { Observable } from '../data/observable.ts'

const read = (): string => location.pathname + location.search

/** Path and query of the page that is shown. */
export const address = new Observable(typeof location === 'undefined' ? '/' : read())

interface GoOptions {
  /** Replaces the entry of the history, as for a filter while it is typed. */
  readonly replace?: boolean
}

/** Asked before another page is shown, with its address; true keeps the page, such as for a form that is not saved. */
type LeaveGuard = (to: string) => boolean
const leaveGuards = new Set<LeaveGuard>()

export function guardLeaving(guard: LeaveGuard): () => void {
  leaveGuards.add(guard)
  return () => void leaveGuards.delete(guard)
}

const isKept = (to: string): boolean => pathOf(to) !== pathOf(address.value) && [...leaveGuards].some((guard) => guard(to))

const pathOf = (to: string): string => to.split('?')[0] ?? to

/** Shows another page, without a reload. */
export function go(to: string, { replace = false }: GoOptions = {}): void {
  if (to === read() || isKept(to)) return
  const isOtherPage = pathOf(to) !== location.pathname
  history[replace ? 'replaceState' : 'pushState'](null, '', to)
  address.value = read()
  if (isOtherPage && !replace) scrollTo(0, 0)
}

/** Changes members of the query; null or an empty text removes one. */
export function setSearch(changes: Readonly<Record<string, string | null>>, options: GoOptions = {}): void {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  go(location.pathname + (text === '' ? '' : `?${text}`), options)
}

/** Starts listeners for links and for the buttons of the browser. In eager code: a lazy handler would call preventDefault too late. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    // The browser has changed its address already.
    if (isKept(read())) history.pushState(null, '', address.value)
    else address.value = read()
  })
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || event.defaultPrevented || !isPlainClick(event) || !isPage(link)) return
    event.preventDefault()
    go(link.pathname + link.search)
  })
}

const isPlainClick = ({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean =>
  button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey

/** The server answers these itself, also to a GET. */
const serverPaths = /^\/(api|admin|metrics|healthz|assets)(\/|$)/

const isPage = (link: HTMLAnchorElement): boolean =>
  link.origin === location.origin &&
  (link.target === '' || link.target === '_self') &&
  !link.hasAttribute('download') &&
  !serverPaths.test(link.pathname) &&
  // A jump inside of the page.
  !(link.hash !== '' && link.pathname === location.pathname && link.search === location.search)
