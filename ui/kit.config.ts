/** The page of the kit alone, for tests and pictures: `vite build -c ui/kit.config.ts`. */
import { fileURLToPath } from 'node:url'
import { mergeConfig } from 'vite'
import base from './vite.config.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

export default mergeConfig(base, {
  build: {
    outDir: path('../node_modules/.cache/svc-kit'),
    emptyOutDir: true,
    rollupOptions: { input: path('./src/pages/kit/index.html') },
  },
})
