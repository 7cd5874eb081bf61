import { defineMetric } from '#kernel'
import { version } from '#kernel/system'

export const buildMetric = defineMetric({
  name: 'svc_build_info',
  help: 'Version and commit of the running svc; the value is always 1.',
  type: 'gauge',
  labels: ['version', 'commit'],
  uses: {},
  collect: async () => [{ labels: { version: version.version, commit: version.commit }, value: 1 }],
})
