import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { ContributedItem } from '../../core/contributions.ts'
import { requestIdentity } from '../identity.ts'
import type { RouteGuard } from '../route-guard.ts'
import { addStep } from './entrance.ts'
import { apiRoots } from './unknown-addresses.ts'

export type BoundRouteGuard = Pick<ContributedItem<RouteGuard>, 'item' | 'services'>

const routeOf = ({ is404, routeOptions: { url } }: FastifyRequest): string | undefined =>
  is404 || url === undefined || apiRoots.includes(url) ? undefined : url

const onlyValue = (values: readonly string[] | undefined): string | undefined => (values?.length === 1 ? values[0] : undefined)

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
        header: (name: string) => onlyValue(request.raw.headersDistinct[name]),
      }
      for (const { item, services } of guards) await item.check(guarded, services)
      return undefined
    })
  },
  { name: 'svc.route-guards', dependencies: ['svc.authentication', 'svc.audit-log'] },
)
