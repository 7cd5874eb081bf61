import { login, sessionEndpoints } from '../auth/auth-api.ts'
import type { Endpoint } from './endpoint.ts'
import { showHealth } from './health-route.ts'
import type { RouteAccess } from './route-access.ts'

/** Endpoints that share their access, as the documentation of the API shows them. */
export interface EndpointGroup {
  readonly access: RouteAccess
  readonly endpoints?: readonly Endpoint[]
}

/** What the kernel itself serves. */
export const kernelEndpoints: readonly EndpointGroup[] = [
  { access: 'open', endpoints: [showHealth, login] },
  { access: 'session', endpoints: sessionEndpoints },
]
