import { definePlugin } from '../core/plugin.ts'
import { doctorChecks, doctorFixes } from '../doctor/check.ts'
import { healthChecks } from '../health/health.ts'
import { memoryParts, metricCollectors } from '../metrics/metrics.ts'

/** What the kernel itself adds to extension points, in the form of a plugin. It is always enabled and in no list of plugins. */
export const kernelContributions = definePlugin({
  id: 'kernel',
  contributes: [
    healthChecks.load(
      async () => (await import('../db/database-health.ts')).databaseHealth,
      async () => (await import('../tasks/worker-health-check.ts')).workerHealthCheck,
    ),
    memoryParts.load(async () => (await import('../db/database-memory.ts')).databaseMemory),
    metricCollectors.load(async () => (await import('../metrics/memory-metrics.ts')).memoryMetrics),
    doctorChecks.load(async () => (await import('../doctor/kernel-checks.ts')).kernelChecks),
    doctorFixes.load(
      async () => (await import('../doctor/place-checks.ts')).fileModeFix,
      async () => (await import('../doctor/task-counts-check.ts')).taskCountsFix,
    ),
  ],
})
