import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { defineRoutes, log } from '#kernel'
import { configState, kernelErrors, ownDashboardFolder } from '#kernel/system'
import { choosePageBody } from './choose-body-policy.ts'
import { DashboardFiles } from './dashboard-files.ts'

/** Files beside `index.html`, which change with a build. */
const looseFiles = ['/favicon.svg', '/theme.js', '/build.json'] as const
/** Paths of pages: not those of the API, in any spelling, and no addresses of other hosts. */
const page = /^\/(?!\/|(api|admin|metrics|healthz|assets)([/?\\]|$))[^\\]*$/i
const notBuiltRetrySeconds = 3

/** The dashboard: its files, and its page for every other address. Without credentials, because it signs the operator in. */
export const dashboardRoutes = defineRoutes({
  name: 'dashboard',
  modes: ['full', 'setup'],
  access: 'open',
  uses: { configState, log },
  register(app, { configState, log }) {
    const files = new DashboardFiles({
      builtIn: fileURLToPath(new URL('../../../ui/dist', import.meta.url)),
      // Routes of a disabled plugin are registered without its services.
      own: () => ownDashboardFolder(configState.loaded.dataDir),
      onRefusal: (problem) => log.warn('the built-in dashboard is served', { problem }),
    })
    serveDashboard(app, files)
  },
})

export function serveDashboard(app: FastifyInstance, files: DashboardFiles): void {
  // The root may not exist yet: every call names it.
  app.register(fastifyStatic, { serve: false, preCompressed: true })
  const send = (reply: FastifyReply, path: string, caching: object) => reply.sendFile(path, files.folder, caching)
  app.route({
    method: ['GET', 'HEAD'],
    url: '/assets/*',
    handler: async ({ params }, reply) =>
      send(reply, `assets/${(params as { readonly '*': string })['*']}`, { immutable: true, maxAge: '365d' }),
  })
  for (const url of looseFiles) {
    app.route({ method: ['GET', 'HEAD'], url, handler: async (_request, reply) => send(reply, url.slice(1), { maxAge: 0 }) })
  }
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => sendIndex(files, request, reply)
  for (const url of ['/', '/*']) app.route({ method: ['GET', 'HEAD'], url, handler: sendPage })
}

function sendIndex(files: DashboardFiles, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!page.test(request.url)) throw kernelErrors.not_found()
  const { status, etag, bodies } = files.page()
  reply.code(status).headers({ 'cache-control': 'no-cache', 'content-type': 'text/html; charset=utf-8', vary: 'accept-encoding', etag })
  if (status === 503) reply.header('refresh', notBuiltRetrySeconds)
  if (request.headers['if-none-match'] === etag) return reply.code(304).removeHeader('content-type').send()
  const { encoding, body } = choosePageBody(bodies, request.headers['accept-encoding'])
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.send(body)
}
