import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { SearchField } from './admin/search-field.tsx';
import { adminSections } from './admin/sections.ts';
import { agentSections } from './agent/sections.ts';
import { isReachable } from './api.ts';
import { installation } from './installation.ts';
import { lpSections } from './lp/sections.ts';
import { currentRoute, linkTo } from './route.ts';
import type { Section } from './section.ts';
import { isPermitted, loadSession, type Session, session, sessionError } from './session.ts';
import { Account } from './ui/account.tsx';
import { Icon } from './ui/icon.tsx';
import { NotPermitted } from './ui/permitted.tsx';
import { SignIn } from './ui/sign-in.tsx';
import { Failure, Loading } from './ui/states.tsx';
import { clearToasts, Toasts } from './ui/toasts.tsx';
import { unseen } from './unseen.ts';

const SECTIONS: Record<Session['role'], Section[]> = {
  lp: lpSections,
  agent: agentSections,
  admin: adminSections,
};

export function App() {
  return (
    <>
      {!isReachable.value && (
        <p class="offline" role="alert">
          Corridor cannot be reached. This page may be out of date.
        </p>
      )}
      <Entrance />
      <Toasts />
    </>
  );
}

function Entrance() {
  const current = session.value;
  if (current) return <Console key={current.owner} session={current} />;
  if (current === null) return <SignIn />;
  return sessionError.value ? (
    <Failure error={sessionError.value} retry={() => void loadSession()} />
  ) : (
    <Loading what="the console" />
  );
}

function Console({ session }: { session: Session }) {
  const { role } = session;
  const sections = SECTIONS[role];
  const [first = '', ...rest] = currentRoute.value.path;
  const section = sections.find(({ path }) => path === first) ?? (first === '' ? sections[0] : undefined);
  const main = useRef<HTMLElement>(null);
  const nav = useRef<HTMLElement>(null);
  const shown = section?.path;
  const title = `${section?.title ?? 'Not found'} · Corridor`;
  const badge = unseen.value > 0 ? `(${unseen.value}) ` : '';
  useEffect(() => {
    document.title = badge + title;
  }, [badge, title]);
  // Keyboards and screen readers start each page at its top. The first page has the browser's own focus.
  // A layout effect, because a later one could take the focus from what the user already uses.
  const before = useRef(shown);
  useLayoutEffect(() => {
    if (before.current !== shown) {
      main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    before.current = shown;
    // On a phone the navigation is wider than the screen.
    scrollToCurrent(nav.current);
  }, [shown]);
  // A message of an ended session is not for the person who signs in next.
  useEffect(() => clearToasts, []);
  return (
    <>
      <a class="skip" href={`#${MAIN}`} onClick={(event) => skipTo(event, main.current)}>
        Skip to the page
      </a>
      <header class="bar">
        <Brand />
        {session.role === 'admin' && <SearchField />}
        <Account session={session} />
        <nav ref={nav} aria-label="Console">
          {sections
            .filter(({ isHidden, permission }) => !isHidden && (!permission || isPermitted(permission)))
            .map(({ path, title, icon, startsGroup }) => (
              <a
                key={path}
                href={linkTo(path)}
                aria-current={path === shown ? 'page' : undefined}
                class={startsGroup && 'apart'}
              >
                <Icon name={icon} />
                {title}
              </a>
            ))}
        </nav>
      </header>
      <main id={MAIN} ref={main} tabIndex={-1}>
        <h1>{section?.title ?? 'Page not found'}</h1>
        {!section && (
          <p class="state">
            The console has no page at this address.{' '}
            <a href={linkTo(sections[0]?.path ?? '')}>Open {sections[0]?.title}</a>
          </p>
        )}
        {section?.permission && !isPermitted(section.permission) ? (
          <NotPermitted permission={section.permission} />
        ) : (
          section && <section.view route={{ path: rest, query: currentRoute.value.query }} />
        )}
      </main>
    </>
  );
}

/** A sandbox says so on every page, so that nobody takes its money for real. */
const Brand = () => (
  <strong class="brand">
    <img src="/logo.svg" alt="" width="24" height="24" />
    Corridor
    {installation.value?.sandbox && <span class="badge warn">Sandbox</span>}
  </strong>
);

const MAIN = 'page';

/** Scrolls the navigation to the current link. After `scrollIntoView`, the next Tab would start at that link. */
function scrollToCurrent(nav: HTMLElement | null): void {
  const link = nav?.querySelector<HTMLElement>('[aria-current]');
  if (nav && link)
    nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
}

/** Moves the focus without following the link: the address names the console's page. */
function skipTo(event: Event, target: HTMLElement | null): void {
  event.preventDefault();
  target?.focus();
}
