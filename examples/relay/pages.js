import sirv from 'sirv'

/** Returns a listener for the page's files: Vite's in development, those in `dist` otherwise. */
export async function createPages(server) {
  if (!process.argv.includes('--dev')) return sirv('dist', { single: true })
  const { createServer } = await import('vite')
  const { middlewares } = await createServer({ server: { middlewareMode: true, ws: { server } } })
  return middlewares
}
