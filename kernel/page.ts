import { defineExtensionPoint } from './extension-point.ts'
import type { RouteAccess } from './http/route-access.ts'

/** A page of the dashboard. Only data: the UI build reads it without starting a gateway. */
export interface DashboardPage {
  /** Unique among all plugins, in kebab-case. */
  readonly id: string
  /** Such as `/buckets/:name`. */
  readonly path: string
  /** In the menu and as the title. */
  readonly label: string
  /** Name in the icon set of the dashboard. */
  readonly icon: string
  /** Position in its group, lowest first. */
  readonly order: number
  /** Heading in the menu; null: the page is reached only by links. */
  readonly group: string | null
  /** What the visitor needs, as for routes. */
  readonly access: RouteAccess
  /** File of the page: `new URL('./ui/holds-page.tsx', import.meta.url)`. */
  readonly module: URL
}

export const dashboardPages = defineExtensionPoint<DashboardPage>('dashboard.pages')

/** Default: in no group, for operators. */
export function defineDashboardPage(
  page: Omit<DashboardPage, 'group' | 'access'> & Partial<Pick<DashboardPage, 'group' | 'access'>>,
): DashboardPage {
  return { group: null, access: 'operator', ...page }
}
