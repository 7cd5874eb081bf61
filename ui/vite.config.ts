/** For `npm run dev:ui`; builds use the same configuration. */
import { dashboardConfig } from './build/dashboard-config.ts'
import { findUiSources } from './build/find-sources.ts'

export default dashboardConfig(await findUiSources())
