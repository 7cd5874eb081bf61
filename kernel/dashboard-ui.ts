/**
 * @recipe a page of the dashboard
 * Add an entry in `pages` of the plugin's `ui/index.ts`, which `plugin.ts` contributes with `dashboardUis.with({ module: new
 * URL('./ui/index.ts', import.meta.url) })`. [Pages of the dashboard](../guide/dashboard-pages.md) says how pages read, change and link.
 * Every page without parameters is checked by `e2e/ui/shell.test.ts`.
 */
import { defineExtensionPoint } from './core/extension-point.ts'

/** The part of a plugin in the dashboard. Only its place: the build of the dashboard reads the file, the service never does. */
interface DashboardUi {
  /** `new URL('./ui/index.ts', import.meta.url)`; its default export is made by `definePluginUi` of `@svc/ui-kit`. */
  readonly module: URL
}

export const dashboardUis = defineExtensionPoint<DashboardUi>('dashboard.uis')
