import type { Component } from '@builder.io/qwik'
import type { Route } from './data/endpoints.ts'
import type { StaleRoute } from './data/events.ts'
import type { IconName } from './kit/icon-names.ts'
import type { ActionPriceProps } from './shell/priced-action.ts'

/** Headings of the menu, in this order; entries without a group come first. */
export type NavGroup = 'Storage' | 'Operations' | 'Service'

export interface NavEntry {
  /** The path of one of the plugin's pages, without parameters. */
  readonly to: string
  readonly label: string
  readonly icon: IconName
  /** Position in its group, lowest first. */
  readonly order: number
  readonly group?: NavGroup
  /** Key that goes to the page, after `g`. */
  readonly key?: string
  /** Id of another plugin without which the page has nothing to show: the entry is left out while that one is disabled. */
  readonly needs?: string
  /** Stands beside the label, such as a count of what needs attention. */
  readonly badge?: Component
}

export interface PageEntry {
  /** Path such as `/buckets/:name`. */
  readonly path: string
  /** The title of the tab and the name in the palette. */
  readonly title: string
  readonly component: Component
  /** Shown in setup mode too, where only setup routes of the Admin API answer. */
  readonly setup?: boolean
}

/** An entry of the command palette: a page to go to, or something to do. */
export interface PaletteCommand {
  readonly label: string
  /** Further words that find it. */
  readonly keywords?: string
  readonly icon?: IconName
  readonly to?: string
  readonly run?: () => unknown
  /** The route that it leads to: not found by a role that may not use it. */
  readonly changes?: Route
}

export interface OverviewCard {
  readonly id: string
  readonly order: number
  /** Columns of twelve on a wide screen. */
  readonly span: 3 | 4 | 6 | 8 | 12
  readonly component: Component
}

export interface BucketTab {
  readonly id: string
  readonly label: string
  readonly order: number
  readonly component: Component<{ bucket: string }>
}

/** Something to do with a provider, wherever one is shown. */
export interface ProviderAction {
  readonly id: string
  readonly order: number
  readonly component: Component<{ providerId: string; serviceUrl?: string | undefined }>
}

/** A card of the wallet page, after those of the wallet itself. */
export interface WalletCard {
  readonly id: string
  readonly order: number
  readonly component: Component
}

/** Shows the price of an action in its dialog. */
export interface ActionPricePart {
  readonly id: string
  readonly order: number
  /** Codes of refusals that the component explains; the dialog does not show their messages. */
  readonly refusals: readonly string[]
  readonly component: Component<ActionPriceProps>
}

/** A card of the page with the life of one object version. */
export interface VersionCard {
  readonly id: string
  readonly order: number
  readonly component: Component<{ bucket: string; objectKey: string; versionId: string }>
}

/** A notice above every page, such as for what the service waits for. It shows nothing while there is nothing to say. */
export interface PageBanner {
  readonly id: string
  readonly order: number
  readonly component: Component
}

/** What a plugin adds to the dashboard. Shown only while the plugin is enabled. */
export interface PluginUi {
  readonly nav?: readonly NavEntry[]
  readonly pages?: readonly PageEntry[]
  readonly commands?: readonly PaletteCommand[]
  /** Finds more for the command palette, such as buckets by name. */
  readonly search?: (text: string) => Promise<readonly PaletteCommand[]>
  readonly cards?: readonly OverviewCard[]
  readonly bucketTabs?: readonly BucketTab[]
  readonly providerActions?: readonly ProviderAction[]
  readonly walletCards?: readonly WalletCard[]
  readonly actionPrices?: readonly ActionPricePart[]
  readonly versionCards?: readonly VersionCard[]
  readonly banners?: readonly PageBanner[]
  /**
   * Topic of the event stream → routes whose answers it makes stale, such as `GET /buckets`. With `by`, only the answers for what the
   * event names: `{ route: 'GET /buckets/:name/objects/provenance', by: 'version_id' }`.
   */
  readonly eventTopics?: Readonly<Record<string, readonly StaleRoute[]>>
}

/** The default export of `ui/index.ts` of a plugin. */
export const definePluginUi = (ui: PluginUi): PluginUi => ui
