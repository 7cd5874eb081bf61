import { defineSection } from '../config/section.ts'
import { setting } from '../config/setting.ts'

export const loggingSection = defineSection('logging', {
  doc: 'The log, on standard error.',
  keys: {
    level: setting.choice(['debug', 'info', 'warn', 'error'], {
      label: 'Level',
      doc: 'Lines below this level are omitted.',
      default: 'info',
      editable: true,
    }),
    format: setting.choice(['text', 'json'], {
      label: 'Format',
      doc: 'Text for people, JSON for machines.',
      default: 'text',
      editable: true,
    }),
  },
})
