/** What the manifest shows of a part of the dashboard: all but the components. */
export interface DashboardPart {
  readonly plugin: string
  readonly nav?: readonly { readonly to: string; readonly label: string; readonly icon: string }[]
  readonly pages?: readonly { readonly path: string; readonly title: string; readonly setup?: boolean }[]
  readonly cards?: readonly { readonly id: string }[]
  readonly bucketTabs?: readonly { readonly id: string }[]
  readonly providerActions?: readonly { readonly id: string }[]
  readonly walletCards?: readonly { readonly id: string }[]
  readonly actionPrices?: readonly { readonly id: string }[]
}

const pathPattern = /^\/$|^(\/:?[a-zA-Z0-9_-]+)+$/
/** First segments of paths that the service answers itself. */
const reservedRoots = new Set(['api', 'admin', 'healthz', 'metrics', 'assets'])

/** Every mistake in the parts, one sentence each; empty: the dashboard can be built. */
export function findManifestProblems(parts: readonly DashboardPart[]): readonly string[] {
  const pages = parts.flatMap(({ plugin, pages = [] }) => pages.map((page) => ({ plugin, name: page.path, ...page })))
  return [
    ...pages.flatMap(({ plugin, path, title }) => {
      const place = `page '${path}' of plugin '${plugin}'`
      return [
        ...(pathPattern.test(path) ? [] : [`${place}: its path must be like '/buckets/:name'`]),
        ...(reservedRoots.has(path.split('/')[1] ?? '') ? [`${place}: its path belongs to the APIs of the service`] : []),
        ...(title.trim() === '' ? [`${place}: its title must not be empty`] : []),
      ]
    }),
    // A parameter matches any segment, whatever its name.
    ...findTaken('page', pages, ({ path }) => path.replaceAll(/:[^/]+/g, ':')),
    ...findTaken('card', named(parts, 'cards'), ({ name }) => name),
    ...findTaken('tab of buckets', named(parts, 'bucketTabs'), ({ name }) => name),
    ...findTaken('action of providers', named(parts, 'providerActions'), ({ name }) => name),
    ...findTaken('card of the wallet', named(parts, 'walletCards'), ({ name }) => name),
    ...findTaken('price of actions', named(parts, 'actionPrices'), ({ name }) => name),
    ...parts.flatMap(({ plugin, nav = [], pages = [] }) =>
      nav
        .filter(({ to }) => !pages.some(({ path }) => path === to))
        .map(({ to }) => `menu entry '${to}' of plugin '${plugin}': the plugin has no page with this path`),
    ),
  ]
}

interface Named {
  readonly plugin: string
  readonly name: string
}

type NamedList = 'cards' | 'bucketTabs' | 'providerActions' | 'walletCards' | 'actionPrices'

const named = (parts: readonly DashboardPart[], list: NamedList): readonly Named[] =>
  parts.flatMap((part) => (part[list] ?? []).map(({ id }) => ({ plugin: part.plugin, name: id })))

function findTaken<T extends Named>(kind: string, items: readonly T[], keyOf: (item: T) => string): readonly string[] {
  return [...Map.groupBy(items, keyOf).values()].flatMap(([first, ...others]) =>
    others.map(
      ({ plugin, name }) => `${kind} '${name}' of plugin '${plugin}': plugin '${first?.plugin}' has it already, as '${first?.name}'`,
    ),
  )
}
