import { adminAuthSection, adminSection } from '../auth/admin-settings.ts'
import { defineSection } from '../config/section.ts'
import { setting } from '../config/setting.ts'
import { databaseSection } from '../db/database-settings.ts'
import { loggingSection } from '../log/logging-settings.ts'
import { workerSection } from '../tasks/worker-settings.ts'

export const pluginsSection = defineSection('plugins', {
  doc: 'Which plugins run.',
  keys: {
    disabled: setting.list({
      label: 'Disabled plugins',
      doc: 'Ids of disabled plugins. Their data and pending tasks stay unchanged.',
      default: [],
      editable: true,
      risk: 'high',
    }),
    packages: setting.list({
      label: 'Third-party plugins',
      doc: 'npm package names, or paths relative to the configuration file.',
      default: [],
    }),
  },
})

/** The configuration sections that belong to the kernel itself. */
export const kernelSections = [adminSection, adminAuthSection, databaseSection, loggingSection, workerSection, pluginsSection] as const
