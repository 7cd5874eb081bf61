import { subscribe } from 'node:diagnostics_channel'

/** For a child process of `afterCrash`: kills it with SIGKILL at the probe of its arguments. Returns its directory. */
export function killAtProbe(): string {
  const [dir, probe, hits] = process.argv.slice(2)
  let left = Number(hits)
  subscribe('svc.probe', (reached) => {
    if ((reached as { readonly name: string }).name !== probe) return
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  })
  return String(dir)
}
