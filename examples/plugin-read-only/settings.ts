import { defineSection, setting } from 'svc/kernel'

export const readOnlySection = defineSection('read_only', {
  doc: 'Example plugin: the Admin API changes nothing.',
  keys: {
    except: setting.list({
      label: 'Exceptions',
      doc: 'Routes that may still be used, such as `POST /api/v1/tasks/:id/retry`.',
      default: [],
    }),
  },
})
