import { configSections, definePlugin } from 'svc/kernel'
import { byteSources } from 'svc/plugins/storage'
import { archiveSection } from './settings.ts'

/** Example of a source of bytes. */
export default definePlugin({
  id: 'archive',
  requires: ['storage'],
  contributes: [configSections.with(archiveSection), byteSources.load(async () => (await import('./archive-source.ts')).archiveSource)],
})
