import { defineExtensionPoint } from './core/extension-point.ts'

/** The part of a plugin in the dashboard. Only its place: the build of the dashboard reads the file, the service never does. */
export interface DashboardUi {
  /** `new URL('./ui/index.ts', import.meta.url)`; its default export is made by `definePluginUi` of `@svc/ui-kit`. */
  readonly module: URL
}

export const dashboardUis = defineExtensionPoint<DashboardUi>('dashboard.uis')
