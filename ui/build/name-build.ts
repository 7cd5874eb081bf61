import type { Plugin } from 'vite'

/** Writes the hash of the sources into index.html: a page compares it with build.json to find out that the service has another build. */
export const nameBuild = (hash: string): Plugin => ({
  name: 'svc-name-build',
  transformIndexHtml: () => [{ tag: 'meta', attrs: { name: 'svc-build', content: hash }, injectTo: 'head' }],
})
