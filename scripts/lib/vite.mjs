/** The project's Vite, for scripts of the site, which has another version. */
export { build, parseSync } from 'vite'
