// Runs before the first paint, so that no page flashes in the other theme, and no list changes its height.
;(() => {
  const root = document.documentElement
  let choice = 'system'
  try {
    choice = localStorage.getItem('svc.theme') || choice
    if (localStorage.getItem('svc.density') === 'compact') root.dataset.density = 'compact'
  } catch {
    // Storage is blocked: follow the system.
  }
  const isDark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.classList.toggle('dark', isDark)
})()
