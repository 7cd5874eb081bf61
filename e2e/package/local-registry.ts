/** A package registry on this machine: the packages that are installed in the clone, as their tarballs. It needs no network and no cache. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface LocalRegistry extends AsyncDisposable {
  readonly url: string
}

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
const tarballPath = /^\/(.+)\/-\/package\.tar$/

/** @param dir for the tarballs, which are made when they are asked for */
export async function startLocalRegistry(dir: string): Promise<LocalRegistry> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    const tarball = tarballPath.exec(path)?.[1]
    const name = tarball ?? path.slice(1)
    if (!existsSync(join(modules, name, 'package.json'))) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}')
    } else if (tarball !== undefined) {
      createReadStream(packInstalled(name, dir)).pipe(response.writeHead(200, { 'content-type': 'application/octet-stream' }))
    } else {
      response.writeHead(200, { 'content-type': 'application/json' }).end(describe(name, `http://${request.headers.host}`))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function describe(name: string, url: string): string {
  const manifest = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'))
  const version = { ...manifest, dist: { tarball: `${url}/${name}/-/package.tar` } }
  return JSON.stringify({ name, 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: version } })
}

/** Not compressed, as npm also takes them: the chain has 43 MB. */
function packInstalled(name: string, dir: string): string {
  const folder = join(dir, name)
  const path = join(folder, 'package.tar')
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  symlinkSync(join(modules, name), join(folder, 'package'))
  execFileSync('tar', ['--dereference', '-cf', path, '-C', folder, 'package'])
  return path
}
