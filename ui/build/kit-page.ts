import type { Plugin } from 'vite'

/** `/_kit` in development: the page with every component. Builds of the dashboard do not have it. */
export const kitPage = (): Plugin => ({
  name: 'svc-kit-page',
  apply: 'serve',
  configureServer(server) {
    server.middlewares.use((request, _response, next) => {
      if (request.url?.split('?')[0] === '/_kit') request.url = '/src/pages/kit/index.html'
      next()
    })
  },
})
