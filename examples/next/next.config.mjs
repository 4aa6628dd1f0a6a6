/** @type {import('next').NextConfig} */
export default {
  // A lockfile in a parent folder would otherwise make that folder the project's root.
  turbopack: { root: import.meta.dirname },
}
