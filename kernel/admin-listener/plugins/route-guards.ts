import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { ContributedItem } from '../../core/contributions.ts'
import { kernelErrors } from '../../errors.ts'
import { refuseUnlessRepeat } from '../../http/kept-refusal.ts'
import { requestIdentity } from '../identity.ts'
import type { RouteGuard } from '../route-guard.ts'
import { addStep } from './entrance.ts'
import { apiRoots } from './unknown-addresses.ts'

export type BoundRouteGuard = Pick<ContributedItem<RouteGuard>, 'item' | 'services'>

const routeOf = ({ is404, routeOptions: { url } }: FastifyRequest): string | undefined =>
  is404 || url === undefined || apiRoots.includes(url) ? undefined : url

function onlyValue({ raw }: FastifyRequest, name: string): string | undefined {
  const [value, ...others] = raw.headersDistinct[name] ?? []
  if (others.length > 0) throw kernelErrors.invalid_request({ message: `Duplicate header: ${name}. Send it once.` })
  return value
}

/** Asks the guards that plugins contribute, in plugin order. */
export const routeGuards = fp(
  async (app: FastifyInstance, { guards }: { readonly guards: readonly BoundRouteGuard[] }) => {
    if (guards.length === 0) return
    addStep(app, async ({ request, access, path }) => {
      const guarded = {
        identity: requestIdentity(request),
        access,
        method: request.method,
        path: path.raw,
        route: routeOf(request),
        header: (name: string) => onlyValue(request, name),
      }
      for (const { item, services } of guards) {
        const refusal = await item.check(guarded, services)
        if (refusal) refuseUnlessRepeat(request, refusal)
      }
      return undefined
    })
  },
  { name: 'svc.route-guards', dependencies: ['svc.authentication', 'svc.audit-log'] },
)
