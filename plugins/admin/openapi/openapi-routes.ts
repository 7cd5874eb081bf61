import { type } from 'arktype'
import { adminRoutes, contributions, defineEndpoint, defineRoutes, kernelEndpoints, serveEndpoint, version } from '#kernel'
import { writeOpenApi } from './openapi-document.ts'

export const openApi = defineEndpoint({
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
      document ??= writeOpenApi([...kernelEndpoints, ...contributions.to(adminRoutes).map(({ item }) => item)], {
        version: version.version,
        contributed: (point) => contributions.to(point).map(({ item }) => item),
      })
      return document
    })
  },
})
