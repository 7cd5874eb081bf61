import type { EndpointsOf } from '@svc/ui-kit'

type Contracts = typeof import('../overview/overview-api.ts') &
  typeof import('../system/system-api.ts') &
  typeof import('../system/restart-api.ts') &
  typeof import('../buckets/bucket-api.ts') &
  typeof import('../objects/object-api.ts') &
  typeof import('../objects/version-api.ts') &
  typeof import('../archives/archive-api.ts') &
  typeof import('../bulk/bulk-api.ts') &
  typeof import('../contents/content-api.ts') &
  typeof import('../settings/settings-api.ts') &
  typeof import('../doctor/doctor-api.ts')

declare module '@svc/ui-kit' {
  interface Endpoints extends EndpointsOf<Contracts> {}
}
