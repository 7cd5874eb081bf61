import { adminRoutes, defineEndpoint, defineRoutes, serveEndpoint } from '#kernel'
import { type } from '#kernel/schema'
import { contributions, loadKernelEndpoints, version } from '#kernel/system'
import { writeOpenApi } from './openapi-document.ts'

const openApi = defineEndpoint({
  method: 'GET',
  path: '/api/v1/openapi.json',
  summary: 'Show this document',
  answer: type('object'),
})

export const openApiRoutes = defineRoutes({
  name: 'openapi',
  uses: { contributions },
  endpoints: [openApi],
  register(app, { contributions }) {
    let document: object | undefined
    serveEndpoint(app, openApi, async () => {
      document ??= writeOpenApi([...(await loadKernelEndpoints()), ...contributions.to(adminRoutes).map(({ item }) => item)], {
        version: version.version,
        contributed: (point) => contributions.to(point).map(({ item }) => item),
      })
      return document
    })
  },
})
