/** Flags that make a process report an older Node, so that svc starts itself on the pinned one. That process does not inherit them. */
export const oldNodeFlags: readonly string[] = [
  '--import',
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}});' +
    'Object.defineProperty(process,"version",{value:"v20.1.0"})',
]
