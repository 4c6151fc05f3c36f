import { useEffect, useState } from 'preact/hooks'

/** Follows the part of the address after `#`, with the sign. */
export function useHash(): string {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = () => setHash(location.hash)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return hash
}
