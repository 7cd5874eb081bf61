import { configSections, definePlugin } from 'svc/kernel'
import { routeGuards } from 'svc/kernel/system'
import { readOnlySection } from './settings.ts'

/** Example of a guard of routes: operators may look and change nothing. */
export default definePlugin({
  id: 'read-only',
  contributes: [configSections.with(readOnlySection), routeGuards.load(async () => (await import('./read-only-guard.ts')).readOnlyGuard)],
})
