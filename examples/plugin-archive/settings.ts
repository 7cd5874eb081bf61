import { defineSection, setting } from 'svc/kernel'

export const archiveSection = defineSection('archive', {
  doc: 'Example plugin: reads contents from a folder.',
  keys: {
    dir: setting.text({ label: 'Folder', doc: 'Absolute path of a folder with files named by the SHA-256 of their bytes.', default: '' }),
  },
})
