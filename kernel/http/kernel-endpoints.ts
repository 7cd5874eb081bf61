import type { Endpoint } from './endpoint.ts'
import type { RouteAccess } from './route-access.ts'

/** Endpoints that share their access, as the documentation of the API shows them. */
export interface EndpointGroup {
  readonly access: RouteAccess
  readonly endpoints?: readonly Endpoint[]
}

/** The endpoints that the kernel itself serves, for the documentation of the API. */
export async function loadKernelEndpoints(): Promise<readonly EndpointGroup[]> {
  const { login, sessionEndpoints } = await import('../auth/auth-api.ts')
  const { showHealth } = await import('./health-route.ts')
  return [
    { access: 'open', endpoints: [showHealth, login] },
    { access: 'session', endpoints: sessionEndpoints },
  ]
}
