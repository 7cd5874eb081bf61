import { fileURLToPath } from 'node:url'
import { qwikVite } from '@builder.io/qwik/optimizer'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { icons } from './build/icons.ts'
import { keepLoader } from './build/keep-loader.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

export default defineConfig({
  root: path('.'),
  plugins: [keepLoader(), icons(), qwikVite({ csr: true }), tailwindcss()],
  resolve: { alias: { '@svc/ui-kit': path('./src/kit.ts') } },
  build: {
    target: 'esnext',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Never manualChunks: with the segments of Qwik they become circular.
    rollupOptions: { output: { chunkFileNames: 'assets/[hash].js', experimentalMinChunkSize: 4000 } },
  },
})
