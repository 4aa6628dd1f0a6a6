import { manifest } from '../../scripts/lib/project.mjs'

const PLACEHOLDER = 'SET_AT_RELEASE'

/** The address of the repository, or null before `npm run release:repository` has set it. */
export function repositoryUrl() {
  const { url } = manifest().repository
  if (url.includes(PLACEHOLDER)) return null
  return url.replace(/^git\+/, '').replace(/\.git$/, '')
}
