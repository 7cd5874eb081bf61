import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import type { UserConfig } from 'vite'
import { uiFolder } from './build-paths.ts'
import { compileComponents } from './compile-components.ts'
import { firstViewChunk, preloadFirstView } from './first-view.ts'
import { icons } from './icons.ts'
import { keepLoader } from './keep-loader.ts'
import { pluginUis, type UiSource } from './plugin-uis.ts'
import { kitNames, unrollKit } from './unroll-kit.ts'

/** Where `npm run dev:ui` finds the gateway. */
const gateway = process.env.SVC_UI_GATEWAY ?? 'http://127.0.0.1:9090'
// The origin checks of the service compare Host and Origin.
const proxied = { target: gateway, changeOrigin: false }

export const dashboardConfig = (sources: readonly UiSource[]): UserConfig => ({
  root: uiFolder,
  plugins: [keepLoader(), icons(), unrollKit(), pluginUis(sources), preloadFirstView(), compileComponents(), tailwindcss()],
  resolve: { alias: [{ find: kitNames, replacement: join(uiFolder, 'src/kit.ts') }], dedupe: ['@builder.io/qwik'] },
  build: {
    target: 'esnext',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // No other manual chunks: with the segments of Qwik they become circular.
    rollupOptions: { output: { chunkFileNames: 'assets/[hash].js', experimentalMinChunkSize: 16_000, manualChunks: firstViewChunk() } },
  },
  server: { port: 5173, strictPort: true, host: '127.0.0.1', proxy: { '/api': proxied, '/healthz': proxied, '/metrics': proxied } },
})
