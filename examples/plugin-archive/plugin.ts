import { configSections, definePlugin } from 'svc/kernel'
import { doctorChecks } from 'svc/kernel/system'
import { byteSources } from 'svc/plugins/storage'
import { archiveSection } from './settings.ts'

/** Example of a source of bytes, with a check for `svc doctor`. */
export default definePlugin({
  id: 'archive',
  requires: ['storage'],
  contributes: [
    configSections.with(archiveSection),
    byteSources.load(async () => (await import('./archive-source.ts')).archiveSource),
    doctorChecks.load(async () => (await import('./archive-check.ts')).archiveCheck),
  ],
})
