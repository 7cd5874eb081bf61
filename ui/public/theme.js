// Runs before the first paint, so that no page flashes in the other theme.
;(() => {
  let choice = 'system'
  try {
    choice = localStorage.getItem('svc.theme') || choice
  } catch {
    // Storage is blocked: follow the system.
  }
  const isDark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.toggle('dark', isDark)
})()
