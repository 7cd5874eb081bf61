/** The door for authors of commands: the client of the Admin API, settings, output, usage errors. */
export { type AdminCall, type AdminClient, adminFlags, openAdminClient } from './client/admin-client.ts'
export { findPlace, readSettings } from './command-settings.ts'
export { readDashboardSources } from './dashboard-sources.ts'
export { beforeSignalEnds, watchInterrupt } from './terminal/interrupt.ts'
export { formatShare, formatSize } from './terminal/size.ts'
export { formatFacts, formatTable, onOneLine } from './terminal/table.ts'
export { type Shown, showResult, watchFlag } from './terminal/watch.ts'
export { requireConfirmation, usageError } from './usage.ts'
