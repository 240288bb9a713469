"""The pool as a schema.org data set, for data search engines."""

from __future__ import annotations

from survey.literature import Pool
from survey.literature.taxonomy import licence
from survey.plurals import plural
from survey.site.markup.downloads import DOWNLOADS


def dataset(pool: Pool, site_url: str) -> dict[str, object]:
    """Return the metadata that the home page embeds and ``data/dataset.jsonld`` extends."""
    settings = pool.taxonomy.settings
    terms = licence(settings.licence)
    said = f" with evidence for {pool.taxonomy.evidence}" if pool.taxonomy.evidence else ""
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": pool.taxonomy.title,
        "description": f"A tagged bibliography: {plural(len(pool), 'entry')}{said}, as of {pool.day}.",
        **({"license": terms.said} if terms else {}),
        "dateModified": pool.last_added.isoformat(),
        "url": site_url,
        **({"creator": {"@type": "Organization", "name": settings.creator}} if settings.creator else {}),
        "distribution": [
            {
                "@type": "DataDownload",
                "contentUrl": f"{site_url}{path}",
                "encodingFormat": download.media,
            }
            for path, download in DOWNLOADS.items()
        ],
    }
