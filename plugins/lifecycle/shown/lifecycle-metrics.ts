import { defineMetric } from '#kernel'
import { actionCounts } from '../runs/action-counts.ts'

export const lifecycleMetrics = [
  defineMetric({
    name: 'svc_lifecycle_actions_total',
    help: 'What lifecycle rules did since the start: delete markers added, versions and delete markers deleted, uploads aborted.',
    type: 'counter',
    labels: ['action'],
    uses: { actionCounts },
    async collect({ actionCounts: { total } }) {
      return [
        { labels: { action: 'add_marker' }, value: total.marked },
        { labels: { action: 'delete_version' }, value: total.removed },
        { labels: { action: 'delete_marker' }, value: total.markersRemoved },
        { labels: { action: 'abort_upload' }, value: total.aborted },
      ]
    },
  }),
  defineMetric({
    name: 'svc_lifecycle_resting',
    help: '1 while lifecycle rules rest: time passed while svc was off, the clock was set ahead, or it is ahead of that of the database.',
    type: 'gauge',
    labels: [],
    uses: { actionCounts },
    collect: async ({ actionCounts: { isResting } }) => [{ labels: {}, value: isResting ? 1 : 0 }],
  }),
]
