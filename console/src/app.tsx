import { useEffect, useRef } from 'preact/hooks';
import { adminSections } from './admin/sections.ts';
import { reachable } from './api.ts';
import { lpSections } from './lp/sections.ts';
import { unseen } from './news.ts';
import { linkTo, place } from './route.ts';
import type { Section } from './section.ts';
import { type Session, session, signOut } from './session.ts';
import { SignIn } from './ui/sign-in.tsx';
import { Toasts } from './ui/toasts.tsx';

const SECTIONS: Record<Session['role'], Section[]> = { lp: lpSections, admin: adminSections };

export function App() {
  return (
    <>
      {!reachable.value && (
        <p class="offline" role="alert">
          Corridor cannot be reached. What is shown may be old.
        </p>
      )}
      {session.value ? <Console key={session.value.key} role={session.value.role} /> : <SignIn />}
      <Toasts />
    </>
  );
}

function Console({ role }: Pick<Session, 'role'>) {
  const sections = SECTIONS[role];
  const [first = '', ...rest] = place.value.path;
  const section = sections.find(({ path }) => path === first) ?? (first === '' ? sections[0] : undefined);
  const main = useRef<HTMLElement>(null);
  const nav = useRef<HTMLElement>(null);
  const shown = section?.path;
  const title = `${section?.title ?? 'Not found'} · Corridor`;
  const badge = unseen.value > 0 ? `(${unseen.value}) ` : '';
  useEffect(() => {
    document.title = badge + title;
  }, [badge, title]);
  // Who moves by keyboard or listens begins each page at its top; the first one they have come to by themselves.
  const before = useRef(shown);
  useEffect(() => {
    if (before.current !== shown) {
      main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    before.current = shown;
    // On a phone not all of them have room beside each other.
    showCurrent(nav.current);
  }, [shown]);
  return (
    <>
      <a class="skip" href={`#${MAIN}`} onClick={(event) => skipTo(event, main.current)}>
        Skip to the page
      </a>
      <header class="bar">
        <strong>Corridor</strong>
        <nav ref={nav} aria-label="Console">
          {sections.map(({ path, title }) => (
            <a key={path} href={linkTo(path)} aria-current={path === shown ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <button type="button" class="quiet" onClick={() => signOut()}>
          Sign out
        </button>
      </header>
      <main id={MAIN} ref={main} tabIndex={-1}>
        <h1>{section?.title ?? 'There is no such page'}</h1>
        {section && <section.view place={{ path: rest, query: place.value.query }} />}
      </main>
    </>
  );
}

const MAIN = 'page';

/** By hand: `scrollIntoView` would have the next Tab begin there. */
function showCurrent(nav: HTMLElement | null): void {
  const link = nav?.querySelector<HTMLElement>('[aria-current]');
  if (nav && link)
    nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
}

/** The address belongs to the pages: a link within one must not change it. */
function skipTo(event: Event, target: HTMLElement | null): void {
  event.preventDefault();
  target?.focus();
}
